import type { ErrorCode } from '../../../server/platform/http/errors.ts'

/** The code of an error response. The response can still be read. */
export async function codeOf(response: Response): Promise<ErrorCode | undefined> {
  const body: { code?: ErrorCode } | null = await response
    .clone()
    .json()
    .catch(() => null)
  return body?.code
}
