package org.camphor.phone

import android.app.Activity
import android.app.KeyguardManager
import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.app.Service
import android.content.ClipData
import android.content.Context
import android.content.Intent
import android.net.LocalServerSocket
import android.net.LocalSocket
import android.os.Build
import android.os.IBinder
import android.os.SystemClock
import android.provider.MediaStore
import android.provider.Settings
import android.system.ErrnoException
import android.system.Os
import android.system.OsConstants
import android.widget.Toast
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.IOException
import java.io.InputStream
import java.security.MessageDigest
import java.security.SecureRandom
import java.util.concurrent.Executors
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import org.json.JSONException
import org.json.JSONObject

private const val NAME = "camphor-phone"
private const val SHELL = 2000  // the user that adb's daemon runs as
private const val LONGEST = 65_536
private const val MOST_WRONG = 5
private const val READ_MILLIS = 5_000
private const val SHOWN_SECONDS = 10L

// camphor knows the first of these sentences: src/camphor/device/android/companion.py
private const val WRONG_TOKEN = "wrong token"
private const val LOCKED = "the phone is locked: unlock it and ask again"
private const val HIDDEN =
    "Android lets this app open no screen: open the app on the phone, or allow it to display over other apps"
private const val BUSY = "another request is open on the phone: finish it there"
const val NOTHING = "nothing was chosen on the phone"
const val UNREADABLE = "what was chosen cannot be read: choose something else"

/**
 * Listens for requests that come over adb, and answers each.
 *
 * The socket has a name and no port, so no network leads to it. Each request is one line of JSON that brings the token.
 */
class Listener : Service() {
    private val workers = Executors.newFixedThreadPool(4)
    private val wrong = AtomicInteger()
    private var server: LocalServerSocket? = null

    override fun onBind(intent: Intent?): IBinder? = null

    override fun onStartCommand(intent: Intent?, flags: Int, startId: Int): Int {
        startForeground(1, notification())
        if (server == null) listen()
        return START_NOT_STICKY  // the token was in memory alone: the person switches it on again
    }

    override fun onDestroy() {
        token = null
        workers.shutdownNow()
        Request.current.getAndSet(null)?.activity?.close()
        server?.let { stop(it) }
        MainActivity.refresh()
        super.onDestroy()
    }

    private fun stop(listening: LocalServerSocket) {
        try {
            Os.shutdown(listening.fileDescriptor, OsConstants.SHUT_RDWR)  // close() alone would leave accept() waiting
        } catch (error: ErrnoException) {
            // nobody waits
        }
        try {
            listening.close()
        } catch (error: IOException) {
            // it is closed
        }
    }

    private fun listen() {
        val listening = try {
            LocalServerSocket(NAME)
        } catch (error: IOException) {
            Toast.makeText(this, R.string.taken, Toast.LENGTH_LONG).show()
            stopSelf()
            return
        }
        server = listening
        token = newToken()
        MainActivity.refresh()
        thread {
            try {
                while (true) {
                    val socket = listening.accept()
                    workers.execute { serve(socket) }
                }
            } catch (error: IOException) {
                // switched off, or out of sockets
            } catch (error: RejectedExecutionException) {
                // switched off
            }
            stopSelf()
        }
    }

    private fun serve(socket: LocalSocket) {
        try {
            socket.use {
                if (it.peerCredentials.uid != SHELL) return
                it.soTimeout = READ_MILLIS
                val line = firstLine(it.inputStream) ?: return
                it.outputStream.write((answerTo(line).toString() + "\n").toByteArray())
            }
        } catch (error: IOException) {
            // whoever asked is gone
        }
    }

    /** The first line; null where it is too long, too slow, or not whole. */
    private fun firstLine(stream: InputStream): String? {
        val input = stream.buffered()
        val bytes = ByteArrayOutputStream()
        val end = SystemClock.elapsedRealtime() + READ_MILLIS
        while (bytes.size() <= LONGEST && SystemClock.elapsedRealtime() < end) {
            val byte = input.read()
            if (byte < 0) return null
            if (byte == '\n'.code) return bytes.toString("UTF-8")
            bytes.write(byte)
        }
        return null
    }

    private fun answerTo(line: String): JSONObject {
        val asked = try {
            JSONObject(line)
        } catch (error: JSONException) {
            null
        } catch (error: StackOverflowError) {  // thousands of brackets
            null
        }
        if (asked == null || !isToken(asked.optString("token"))) {
            if (wrong.incrementAndGet() >= MOST_WRONG) {
                token = null
                stopSelf()
            }
            return refused(WRONG_TOKEN)
        }
        return try {
            JSONObject().put("ok", true).put("result", carryOut(asked))
        } catch (problem: Problem) {
            refused(problem.message)
        } catch (error: JSONException) {
            refused("the request is not as it should be: update camphor and this app")
        } catch (error: InterruptedException) {
            refused("the app was switched off on the phone")
        } catch (error: IOException) {
            refused("the phone cannot read or keep this: choose something else, or look whether its storage is full")
        } catch (error: SecurityException) {
            refused(UNREADABLE)
        } catch (error: RuntimeException) {  // of another app's content, which may throw anything
            refused("the phone refused: ${error.javaClass.simpleName}")
        }
    }

    private fun isToken(text: String): Boolean {
        val known = token ?: return false
        return MessageDigest.isEqual(text.toByteArray(), known.toByteArray())  // takes as long for any text
    }

    private fun refused(sentence: String?): JSONObject = JSONObject().put("ok", false).put("error", sentence)

    private fun carryOut(asked: JSONObject): JSONObject {
        val wanted = asked.optJSONObject("intent") ?: return JSONObject()  // whether the token is right was all
        val action = wanted.text("action")
        val intent = intentOf(action, wanted)
        val wantsResult = asked.optBoolean("result")
        if (wantsResult && action !in GIVE_RESULT) throw Problem("such a request gives nothing back")
        if ((getSystemService(Context.KEYGUARD_SERVICE) as KeyguardManager).isKeyguardLocked) throw Problem(LOCKED)
        if (!mayOpenScreens()) throw Problem(HIDDEN)
        val request = Request(intent, wantsResult)
        if (!Request.current.compareAndSet(null, request)) throw Problem(BUSY)
        var output: File? = null
        try {
            output = outputFor(asked.text("output"), intent)
            val screen = Intent(this, RequestActivity::class.java)
            // without MULTIPLE_TASK one that is just being closed would be brought to the front in place of a new one
            screen.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK or Intent.FLAG_ACTIVITY_MULTIPLE_TASK)
            startActivity(screen.putExtra(Request.ID, request.id))
            // where Android does not allow it nothing is thrown: the screen never comes
            if (!request.shown.await(SHOWN_SECONDS, TimeUnit.SECONDS)) throw Problem(HIDDEN)
            val seconds = asked.optLong("seconds", 120).coerceIn(1, 600)
            val ending = request.ending.poll(seconds, TimeUnit.SECONDS)
                ?: throw Problem("$NOTHING within $seconds seconds")
            ending.problem?.let { throw Problem(it) }
            if (!wantsResult) return JSONObject()
            if (ending.code != Activity.RESULT_OK) throw Problem(NOTHING)
            val found = Chosen(this).read(action, ending.data, output)
            if ((output?.length() ?: 0L) > 0L) output = null  // the answer tells of it
            return found
        } finally {
            output?.delete()  // empty, or a picture that the person did not keep
            request.activity?.close()
            Request.current.compareAndSet(request, null)
        }
    }

    /** What Android asks of an app since version 10. */
    private fun mayOpenScreens(): Boolean =
        Build.VERSION.SDK_INT < Build.VERSION_CODES.Q || MainActivity.isVisible || Settings.canDrawOverlays(this)

    /** A file for what a camera makes, which the camera alone may write; null where none is asked for. */
    private fun outputFor(kind: String, intent: Intent): File? {
        val name = when (kind) {
            "photo" -> "photo.jpg"
            "video" -> "video.mp4"
            else -> return null
        }
        val file = GivenFiles.free(this, name)
        val uri = GivenFiles.uri(file)
        intent.putExtra(MediaStore.EXTRA_OUTPUT, uri)
        intent.clipData = ClipData.newRawUri("", uri)
        intent.addFlags(Intent.FLAG_GRANT_READ_URI_PERMISSION or Intent.FLAG_GRANT_WRITE_URI_PERMISSION)
        return file
    }

    private fun notification(): Notification {
        val channel = NotificationChannel(NAME, getString(R.string.app), NotificationManager.IMPORTANCE_LOW)
        (getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager).createNotificationChannel(channel)
        val screen = Intent(this, MainActivity::class.java)
        return Notification.Builder(this, NAME)
            .setSmallIcon(R.drawable.icon)
            .setContentTitle(getString(R.string.app))
            .setContentText(getString(R.string.listening))
            .setContentIntent(PendingIntent.getActivity(this, 0, screen, PendingIntent.FLAG_IMMUTABLE))
            .setOngoing(true)
            .build()
    }

    companion object {
        /** What every request has to bring; null while the app is off. */
        @Volatile
        var token: String? = null
            private set

        private fun newToken(): String {
            val bytes = ByteArray(16)
            SecureRandom().nextBytes(bytes)
            return bytes.joinToString("") { "%02x".format(it) }
        }
    }
}
