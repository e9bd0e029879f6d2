import type { FastifyRequest } from 'fastify'
import type { Spool, SpooledBody } from '../object-store/spool.ts'

/** A received part, on the local disk until it is stored or discarded. */
export interface ReceivedFile {
  spooled: SpooledBody
  /** What the sender calls it. */
  name: string
}

export interface Upload {
  files: ReceivedFile[]
  /** The other parts of the form, in whatever order they came. */
  fields: Record<string, string>
}

/**
 * Reads a whole multipart form, files to disk. On any error nothing is left behind. Errors: those of the spool
 * (`tooLarge`, `storageFull`, `aborted`) and of the form parser (status 4xx).
 */
export async function receiveForm(request: FastifyRequest, spool: Spool, maxBytes: number): Promise<Upload> {
  const upload: Upload = { files: [], fields: {} }
  try {
    for await (const part of request.parts({ limits: { files: 10, fields: 20, fileSize: maxBytes + 1 } })) {
      if (part.type === 'field') upload.fields[part.fieldname] = String(part.value)
      else {
        const spooled = await spool.receive(part.file, { maxBytes })
        upload.files.push({ spooled, name: part.filename.slice(0, 255) || 'upload' })
      }
    }
    return upload
  } catch (error) {
    await discardForm(upload)
    throw error
  }
}

/** Removes what was not stored; fine after files were moved away. */
export async function discardForm({ files }: Upload): Promise<void> {
  for (const { spooled } of files) await spooled.discard()
}
