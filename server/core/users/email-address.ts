import { ApiError } from '../../platform/http/errors.ts'

const ADDRESS_LENGTH = 254
const LOCAL_PART_LENGTH = 64
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN_LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/**
 * Trimmed and lower-cased, ASCII only, so that one mailbox is one text and look-alike letters are no second one
 * (CVE-2019-19844). Quoted local parts and bare hosts are refused: no person has such an address.
 * @param field of the request, for the error
 * @throws ApiError INVALID_EMAIL
 */
export function parseEmailAddress(text: string, field = 'email'): string {
  // Letters outside of ASCII can lower-case into ASCII (the Kelvin sign becomes k), so look before lower-casing.
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
