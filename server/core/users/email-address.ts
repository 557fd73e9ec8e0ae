import { ApiError } from '../../platform/http/errors.ts'

const ADDRESS_LENGTH = 254
const LOCAL_PART_LENGTH = 64
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN_LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/**
 * A mailbox has one spelling. Look-alike letters are another mailbox (CVE-2019-19844), so only ASCII is accepted.
 * @throws ApiError INVALID_EMAIL
 */
export function parseEmailAddress(text: string, field = 'email'): string {
  // Before lower-casing, which turns some other letters into ASCII: the Kelvin sign becomes k.
  const address = /^[\x20-\x7e]*$/.test(text) ? text.trim().toLowerCase() : ''
  if (!isAddress(address)) throw new ApiError('INVALID_EMAIL', { field })
  return address
}

function isAddress(address: string): boolean {
  if (address.length > ADDRESS_LENGTH) return false
  const at = address.lastIndexOf('@')
  const labels = address.slice(at + 1).split('.')
  return (
    at > 0 &&
    at <= LOCAL_PART_LENGTH &&
    LOCAL_PART.test(address.slice(0, at)) &&
    labels.length >= 2 &&
    labels.every((label) => label.length <= 63 && DOMAIN_LABEL.test(label))
  )
}
