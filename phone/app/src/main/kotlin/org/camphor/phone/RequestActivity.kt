package org.camphor.phone

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.Intent
import android.os.Bundle

/**
 * Starts the intent of the open request and takes what comes back. Nothing of it is seen.
 *
 * It stays until the listener has read what was chosen: Android lets the app read that no longer than this.
 */
class RequestActivity : Activity() {
    private var request: Request? = null

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        val asked = Request.current.get()?.takeIf { it.id == intent.getLongExtra(Request.ID, 0) }
        if (asked == null) {  // its time is over, or the app was killed meanwhile
            finish()
            return
        }
        request = asked
        asked.activity = this
        asked.shown.countDown()
        if (savedInstanceState == null) begin(asked)  // else the screen was turned, and the intent started before
    }

    private fun begin(asked: Request) {
        try {
            if (asked.wantsResult) {
                startActivityForResult(asked.intent, CODE)
            } else {
                // in a task of its own: this one's is not among the recent apps; and in a new one: a second mail would
                // only bring the first one's task to the front, without its files
                asked.intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK or Intent.FLAG_ACTIVITY_MULTIPLE_TASK)
                startActivity(asked.intent)
                asked.end(Ending(RESULT_OK))
            }
        } catch (error: ActivityNotFoundException) {
            fail(asked, "no app on the phone takes this request: install one that does")
        } catch (error: SecurityException) {
            fail(asked, "the phone refused: this app may not do that, or may not read the file")
        } catch (error: RuntimeException) {  // such as FileUriExposedException
            fail(asked, "the phone refused: ${error.javaClass.simpleName}")
        }
    }

    private fun fail(asked: Request, sentence: String) = asked.end(Ending(RESULT_CANCELED, problem = sentence))

    override fun onActivityResult(requestCode: Int, resultCode: Int, data: Intent?) {
        request?.end(Ending(resultCode, data))
    }

    override fun onDestroy() {
        if (isFinishing) request?.end(Ending(RESULT_CANCELED))  // the person wiped it away
        super.onDestroy()
    }

    /** Closes it, and the screen that it opened for a result. */
    fun close() {
        runOnUiThread {
            finishActivity(CODE)
            finish()
        }
    }

    private companion object {
        const val CODE = 1
    }
}
