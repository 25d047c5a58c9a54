package org.camphor.phone

import android.content.ContentProvider
import android.content.ContentValues
import android.content.Context
import android.database.Cursor
import android.database.MatrixCursor
import android.net.Uri
import android.os.ParcelFileDescriptor
import android.provider.OpenableColumns
import android.webkit.MimeTypeMap
import java.io.File
import java.io.FileNotFoundException

private const val AUTHORITY = "org.camphor.phone.files"
private const val ANY_TYPE = "application/octet-stream"
private val STRANGE = Regex("[^\\p{L}\\p{N} ._\\-]")

/**
 * The files that were made or chosen, as content for other apps: a camera writes its photo, a mail app reads what it
 * is to send. Each app sees the files alone that it was given, for the time for which it was.
 */
class GivenFiles : ContentProvider() {
    override fun onCreate(): Boolean = true

    override fun openFile(uri: Uri, mode: String): ParcelFileDescriptor =
        ParcelFileDescriptor.open(find(uri), ParcelFileDescriptor.parseMode(mode))

    override fun getType(uri: Uri): String {
        val ending = (uri.lastPathSegment ?: "").substringAfterLast('.', "").lowercase()
        return MimeTypeMap.getSingleton().getMimeTypeFromExtension(ending) ?: ANY_TYPE
    }

    override fun query(
        uri: Uri,
        projection: Array<out String>?,
        selection: String?,
        selectionArgs: Array<out String>?,
        sortOrder: String?,
    ): Cursor {
        val file = find(uri)
        val columns = projection ?: arrayOf(OpenableColumns.DISPLAY_NAME, OpenableColumns.SIZE)
        val row = columns.map { column ->
            when (column) {
                OpenableColumns.DISPLAY_NAME -> file.name
                OpenableColumns.SIZE -> file.length()
                else -> null
            }
        }
        return MatrixCursor(columns).apply { addRow(row) }
    }

    override fun insert(uri: Uri, values: ContentValues?): Uri? = null

    override fun update(
        uri: Uri,
        values: ContentValues?,
        selection: String?,
        selectionArgs: Array<out String>?,
    ): Int = 0

    override fun delete(uri: Uri, selection: String?, selectionArgs: Array<out String>?): Int = 0

    private fun find(uri: Uri): File {
        val given = folder(context!!).canonicalFile
        val file = File(given, uri.lastPathSegment ?: "").canonicalFile
        if (file.parentFile != given || !file.isFile) throw FileNotFoundException()
        return file
    }

    companion object {
        fun uri(file: File): Uri = Uri.Builder().scheme("content").authority(AUTHORITY).appendPath(file.name).build()

        /** A new, empty file of that name, or of one that is near it and free. */
        fun free(context: Context, name: String): File {
            val plain = STRANGE.replace(name, "_").takeLast(60).trim('.', ' ').ifEmpty { "document" }
            val ending = plain.substringAfterLast('.', "").let { if (it.isEmpty()) "" else ".$it" }
            val stem = plain.removeSuffix(ending)
            for (number in 0..9_999) {
                val file = File(folder(context), if (number == 0) plain else "$stem-$number$ending")
                if (file.createNewFile()) return file
            }
            throw Problem("there are too many files of this name in the app's folder: delete some")
        }

        /** On the shared storage, where `adb pull` reaches it and other apps do not. */
        private fun folder(context: Context): File =
            context.getExternalFilesDir("given") ?: throw FileNotFoundException("the shared storage is not there")
    }
}
