import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { operatorError } from '../operator-error.ts'
import { s3CodeOf } from './s3-errors.ts'

export interface S3Settings {
  /** Address of the store; null for AWS. */
  endpoint: string | null
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** What the names of all our objects begin with: '' or something that ends in '/'. */
  prefix: string
  /** Whether the bucket is named in the path of an address, and not in its host. */
  forcePathStyle: boolean
}

/** A client of an S3-compatible store whose requests all end: tried three times, none for longer than a minute. */
export function createS3Client(settings: S3Settings): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = settings
  // Every download under way holds a connection, and must not keep the others waiting for one.
  const agent = { maxSockets: Infinity }
  return new S3Client({
    ...(endpoint !== null && { endpoint }),
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      // A player that is paused reads nothing for a while; it comes back with a range.
      socketTimeout: 300_000,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Bodies are covered by the signature; checksums in trailers are more than many stores understand.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Stores that do not know it would hold each part up for seconds.
    expectContinueHeader: false,
  })
}

/** Asks for the bucket once. Throws an operator's error that names the setting to mend. */
export async function checkBucket(client: S3Client, { bucket, endpoint, prefix }: S3Settings): Promise<void> {
  const where = endpoint ?? 'AWS'
  const request = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })
  const page = await client.send(request).catch((error: unknown) => {
    const code = s3CodeOf(error)
    const reason = code && (reasons[code]?.(bucket) ?? `it answered ${code}`)
    throw operatorError(
      reason
        ? `the S3 store (${where}) does not serve us: ${reason}`
        : `no S3 store answers at ${where}: ${(error as Error).message}`,
      error,
    )
  })
  // Any web page is taken for an empty listing, such as that of a store's console beside its S3 port.
  if (page.IsTruncated === undefined) throw operatorError(`what answers at ${where} is no S3 store`)
}

const wrongKey = () => 'S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY is wrong'
const wrongRegion = (bucket: string) => `S3_REGION or S3_ENDPOINT is not that of the bucket ${bucket}`
const reasons: Partial<Record<string, (bucket: string) => string>> = {
  InvalidAccessKeyId: wrongKey,
  // Versity's word for the same.
  XAdminUserNotFound: wrongKey,
  SignatureDoesNotMatch: wrongKey,
  AccessDenied: (bucket) => `that key may not list the bucket ${bucket}`,
  NoSuchBucket: (bucket) => `there is no bucket ${bucket} (S3_BUCKET)`,
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  RequestTimeTooSkewed: () => 'the clock of this machine is wrong',
}
