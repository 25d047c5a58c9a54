package org.camphor.phone

import android.content.ClipData
import android.content.Intent
import android.net.Uri
import android.os.SystemClock
import java.util.concurrent.ArrayBlockingQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import org.json.JSONArray
import org.json.JSONObject

/** Why a request is not carried out, in one sentence that says what to do. */
class Problem(sentence: String) : Exception(sentence)

/** How an intent ended: the result code and the data that came back, or what went wrong. */
class Ending(val code: Int, val data: Intent? = null, val problem: String? = null)

/** An intent on its way through [RequestActivity]: the listener's thread waits until its ending is there. */
class Request(val intent: Intent, val wantsResult: Boolean) {
    val id = SystemClock.elapsedRealtimeNanos()
    val shown = CountDownLatch(1)
    val ending = ArrayBlockingQueue<Ending>(1)

    @Volatile
    var activity: RequestActivity? = null

    /** Takes the first ending; later ones say nothing new. */
    fun end(how: Ending) {
        ending.offer(how)
    }

    companion object {
        const val ID = "id"

        /** The request that the person sees now; there is one at a time. */
        val current = AtomicReference<Request?>(null)
    }
}

/** The intent that is asked for. Throws [Problem] where it is none of camphor's, JSONException where a value lacks. */
fun intentOf(action: String, asked: JSONObject): Intent {
    if (action !in ACTIONS) throw Problem("this action is none of camphor's functions: update camphor and this app")
    val intent = Intent(action)
    intent.setDataAndType(
        asked.text("data").ifEmpty { null }?.let { Uri.parse(it) },
        asked.text("type").ifEmpty { null },
    )
    asked.text("package").ifEmpty { null }?.let { intent.setPackage(it) }
    asked.optJSONArray("categories")?.texts()?.forEach { intent.addCategory(it) }
    val handedOn = ArrayList<Uri>()
    asked.optJSONObject("extras")?.let { extras ->
        for (name in extras.keys()) handedOn += put(intent, name, extras.getJSONObject(name))
    }
    if (asked.optBoolean("grant") && handedOn.isNotEmpty()) {
        val clip = ClipData.newRawUri("", handedOn[0])
        handedOn.drop(1).forEach { clip.addItem(ClipData.Item(it)) }
        intent.clipData = clip  // a grant is for the data and for what is in here, not for extras
        intent.addFlags(Intent.FLAG_GRANT_READ_URI_PERMISSION)
    }
    return intent
}

/** Puts an extra of one of the eight kinds into the intent, and gives the URIs in it. */
private fun put(intent: Intent, name: String, extra: JSONObject): List<Uri> {
    when (extra.getString("kind")) {
        "string" -> intent.putExtra(name, extra.getString("value"))
        "int" -> intent.putExtra(name, extra.getInt("value"))
        "long" -> intent.putExtra(name, extra.getLong("value"))
        "boolean" -> intent.putExtra(name, extra.getBoolean("value"))
        "strings" -> intent.putExtra(name, extra.getJSONArray("value").texts().toTypedArray())
        "ints" -> {
            val values = extra.getJSONArray("value")
            intent.putIntegerArrayListExtra(name, ArrayList((0 until values.length()).map { values.getInt(it) }))
        }
        "uri" -> {
            val uri = Uri.parse(extra.getString("value"))
            intent.putExtra(name, uri)
            return listOf(uri)
        }
        "uris" -> {
            val uris = ArrayList(extra.getJSONArray("value").texts().map { Uri.parse(it) })
            intent.putParcelableArrayListExtra(name, uris)
            return uris
        }
        else -> throw Problem("an extra is of a kind that this app does not know: update it")
    }
    return emptyList()
}

/** A text; "" where there is none: optString would make "null" of a null. */
fun JSONObject.text(name: String): String = if (isNull(name)) "" else getString(name)

private fun JSONArray.texts(): List<String> = (0 until length()).map { getString(it) }
