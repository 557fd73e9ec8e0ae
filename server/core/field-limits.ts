/** Limits that the service enforces, and that the pages show before a request. */
export const BAN_REASON_LENGTH_MAXIMUM = 500
export const CLIENT_CODE_LENGTH_MAXIMUM = 100
export const IMPERSONATION_REASON_LENGTH_MAXIMUM = 500
export const INVITED_EMAILS_MAXIMUM = 500
export const MEMBERSHIPS_PER_PAGE = 1_000
export const ORGANIZATION_METADATA_BYTES_MAXIMUM = 8_192
/** In code points, so that every script counts the same. */
export const PASSWORD_LENGTH_MAXIMUM = 128
export const PICTURE_LENGTH_MAXIMUM = 2_048
export const RESET_REASON_LENGTH_MAXIMUM = 200
export const SEARCH_LENGTH_MAXIMUM = 256
export const SLUG_LENGTH_MAXIMUM = 48
