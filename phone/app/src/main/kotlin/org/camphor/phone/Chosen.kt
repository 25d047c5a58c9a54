package org.camphor.phone

import android.content.Context
import android.content.Intent
import android.media.RingtoneManager
import android.net.Uri
import android.provider.MediaStore
import android.provider.OpenableColumns
import java.io.File
import org.json.JSONArray
import org.json.JSONObject

private const val MOST_FILES = 50
private const val LARGEST = 2_000_000_000L
private const val TOO_LARGE = "what was chosen is larger than 2 GB: choose something smaller"

/** Reads what the person chose or made. Its methods throw [Problem], IOException or RuntimeException. */
class Chosen(private val context: Context) {
    private val resolver = context.contentResolver

    /** The answer's `result`: a URI, and as far as there are some a name, and a path that `adb pull` takes. */
    fun read(action: String, data: Intent?, output: File?): JSONObject = when (action) {
        MediaStore.ACTION_IMAGE_CAPTURE, MediaStore.ACTION_VIDEO_CAPTURE -> made(data, output)
        Intent.ACTION_PICK -> contact(one(data))
        RingtoneManager.ACTION_RINGTONE_PICKER -> sound(data)
        Intent.ACTION_CREATE_DOCUMENT -> created(one(data))
        else -> documents(data)
    }

    private fun made(data: Intent?, output: File?): JSONObject {
        if (output != null && output.length() > 0) return told(output)
        val elsewhere = data?.data ?: throw Problem("the camera gave nothing back: take the picture again")
        return copied(elsewhere)  // some cameras keep a video where they like
    }

    /** The contact, or of one of its details also what it says: Android lets the chosen row be read, and no other. */
    private fun contact(uri: Uri): JSONObject {
        val found = JSONObject().put("uri", uri.toString())
        try {
            resolver.query(uri, null, null, null, null)?.use { rows ->
                if (rows.moveToFirst()) {
                    for ((key, column) in listOf("name" to "display_name", "value" to "data1")) {
                        val place = rows.getColumnIndex(column)
                        if (place >= 0 && !rows.isNull(place)) found.put(key, rows.getString(place))
                    }
                }
            }
        } catch (error: RuntimeException) {
            // some address books do not let it be read: the computer reads it by adb
        }
        return found
    }

    private fun sound(data: Intent?): JSONObject {
        if (data == null) throw Problem(NOTHING)
        @Suppress("DEPRECATION")  // the one that replaces it is of Android 13
        val uri: Uri? = data.getParcelableExtra(RingtoneManager.EXTRA_RINGTONE_PICKED_URI)
        return JSONObject().put("uri", uri?.let { content(it).toString() } ?: "silent")  // AlarmClock.VALUE_RINGTONE_SILENT
    }

    private fun created(uri: Uri): JSONObject {
        val both = Intent.FLAG_GRANT_READ_URI_PERMISSION or Intent.FLAG_GRANT_WRITE_URI_PERMISSION
        try {
            resolver.takePersistableUriPermission(uri, both)  // so that it can be handed on later
        } catch (error: SecurityException) {
            // its app does not give that away
        }
        return JSONObject().put("uri", uri.toString()).put("name", nameOf(uri))
    }

    private fun documents(data: Intent?): JSONObject {
        val clip = data?.clipData
        val several = if (clip == null) emptyList<Uri>() else (0 until clip.itemCount).mapNotNull { clip.getItemAt(it).uri }
        val uris = several.ifEmpty { listOf(one(data)) }
        if (uris.size > MOST_FILES) throw Problem("more than $MOST_FILES files were chosen: choose fewer")
        val files = uris.map { copied(it) }
        return if (files.size == 1) files[0] else files[0].put("more", JSONArray(files.drop(1)))
    }

    private fun one(data: Intent?): Uri = content(data?.data ?: throw Problem(NOTHING))

    /** The URI, if it is of another app's content: a file: could be one of this app's own. */
    private fun content(uri: Uri): Uri = if (uri.scheme == "content") uri else throw Problem(UNREADABLE)

    private fun copied(uri: Uri): JSONObject {
        val input = resolver.openInputStream(content(uri)) ?: throw Problem(UNREADABLE)
        val file = input.use { from ->
            val to = GivenFiles.free(context, nameOf(uri))
            try {
                to.outputStream().use { out ->
                    val piece = ByteArray(65_536)
                    var size = 0L
                    while (true) {
                        val count = from.read(piece)
                        if (count < 0) break
                        size += count
                        if (size > LARGEST) throw Problem(TOO_LARGE)
                        out.write(piece, 0, count)
                    }
                }
            } catch (error: Exception) {
                to.delete()
                throw error
            }
            to
        }
        return told(file)
    }

    private fun told(file: File): JSONObject =
        JSONObject().put("uri", GivenFiles.uri(file).toString()).put("name", file.name).put("path", file.path)

    private fun nameOf(uri: Uri): String {
        val columns = arrayOf(OpenableColumns.DISPLAY_NAME)
        val name = try {
            resolver.query(uri, columns, null, null, null)?.use { if (it.moveToFirst()) it.getString(0) else null }
        } catch (error: RuntimeException) {
            null  // what was chosen is there all the same
        }
        return name ?: "document"
    }
}
