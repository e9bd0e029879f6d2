import { readConfig } from '../config.ts'
import { copyObjects } from '../platform/object-store/copy-objects.ts'
import { openFilesFolder, openObjectStore } from '../platform/object-store/open-store.ts'
import { operatorError } from '../platform/operator-error.ts'

/** Copies the files of the data folder into the S3 bucket; again, only what is new. Works beside a running server. */
export async function copyFiles(): Promise<void> {
  const config = readConfig()
  if (!config.s3) throw operatorError('S3_BUCKET says where to copy files to')
  const { copied, bytes } = await copyObjects(
    await openFilesFolder(config.dataDir),
    await openObjectStore(config),
  )
  console.log(`${copied} files copied to ${config.s3.bucket}, ${(bytes / 2 ** 20).toFixed(1)} MiB`)
}
