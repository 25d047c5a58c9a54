package org.camphor.phone

import android.Manifest
import android.app.Activity
import android.content.Intent
import android.content.pm.PackageManager
import android.graphics.Typeface
import android.os.Build
import android.os.Bundle
import android.view.WindowManager
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView

private const val EDGE = 48

/** The app's one screen: what it does, whether it is on, the token, and a button. */
class MainActivity : Activity() {
    private lateinit var state: TextView
    private lateinit var button: Button

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        window.addFlags(WindowManager.LayoutParams.FLAG_SECURE)  // the token is on no screenshot
        val what = TextView(this)
        what.setText(R.string.what)
        state = TextView(this)
        state.typeface = Typeface.MONOSPACE
        state.textSize = 18f
        state.setPadding(0, EDGE, 0, 0)
        button = Button(this)
        button.setOnClickListener { turn() }
        val column = LinearLayout(this)
        column.orientation = LinearLayout.VERTICAL
        column.setPadding(EDGE, EDGE, EDGE, EDGE)
        for (view in listOf(what, state, button)) column.addView(view)
        val screen = ScrollView(this)
        screen.fitsSystemWindows = true  // from Android 15 on it would lie under the bars
        screen.addView(column)
        setContentView(screen)
        if (savedInstanceState == null) askForNotifications()
    }

    override fun onStart() {
        super.onStart()
        visible = this
        show()
    }

    override fun onStop() {
        if (visible === this) visible = null
        super.onStop()
    }

    private fun turn() {
        val service = Intent(this, Listener::class.java)
        if (Listener.token == null) startForegroundService(service) else stopService(service)
    }

    private fun show() {
        val token = Listener.token
        state.text = if (token == null) getString(R.string.off) else getString(R.string.on, inGroups(token))
        button.setText(if (token == null) R.string.switch_on else R.string.switch_off)
    }

    private fun inGroups(token: String): String =
        token.chunked(4).chunked(4).joinToString("\n") { it.joinToString(" ") }

    /** Without it the service runs all the same; the notification says that it does. */
    private fun askForNotifications() {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.TIRAMISU) return
        val permission = Manifest.permission.POST_NOTIFICATIONS
        if (checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED) return
        requestPermissions(arrayOf(permission), 1)
    }

    companion object {
        @Volatile
        private var visible: MainActivity? = null

        /** Whether this screen is seen: only then does Android let the service open another one. */
        val isVisible: Boolean
            get() = visible != null

        fun refresh() {
            val screen = visible ?: return
            screen.runOnUiThread { screen.show() }
        }
    }
}
