/** Status and default message of each error code. Codes of the official client have the same names here. */
export const ERRORS = {
  // Form of the request
  VALIDATION_ERROR: [400, 'The request is not valid.'],
  INVALID_JSON: [
    400,
    'The body is not valid JSON. Send an object such as {"name": "value"}: double quotes, no trailing comma, no __proto__.',
  ],
  BODY_TOO_LARGE: [413, 'The body is larger than 64 KiB.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as JSON, with content-type: application/json.'],
  MALFORMED_REQUEST: [400, 'The request is not valid HTTP.'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  REQUEST_HEADERS_TOO_LARGE: [431, 'The URL and the headers of the request are larger than 16 KiB.'],
  MISDIRECTED_REQUEST: [421, 'The Host header does not name this service. Use the address in BASE_URL.'],
  NOT_FOUND: [404, 'There is nothing at this address, or not for this method.'],
  INVALID_EMAIL: [400, 'Write an email address such as name@example.com, in ASCII letters.'],
  PASSWORD_TOO_SHORT: [400, 'The password is too short.'],
  PASSWORD_TOO_LONG: [400, 'The password is longer than 128 characters.'],
  PASSWORD_TOO_COMMON: [
    400,
    'This password is easy to guess: many users have it, or it repeats or counts. Choose another one.',
  ],
  PASSWORD_TOO_PERSONAL: [
    400,
    'This password is mostly your name, your email address, your organization or the name of this service. Choose another one.',
  ],
  INVALID_PASSWORD: [400, 'The password is wrong.'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: [
    400,
    'This account has no password. Set one with “Forgot your password?” on the sign-in page.',
  ],
  INVALID_CALLBACK_URL: [400, 'The address to return to must be a path of this site, or be on an allowed origin.'],

  // Authentication and authorization
  UNAUTHORIZED: [401, 'Sign in first.'],
  CONFLICTING_CREDENTIALS: [401, 'The request has two different credentials. Send one.'],
  SESSION_CHANGED: [409, 'Your sign-in in this browser has changed, perhaps to another user. Reload the page.'],
  INVALID_EMAIL_OR_PASSWORD: [401, 'The email address or the password is wrong.'],
  EMAIL_NOT_VERIFIED: [
    403,
    'Verify your email address first: open the link in our email, or ask for a new one on your account page.',
  ],
  INVALID_API_KEY: [401, 'The API key is unknown.'],
  BANNED_USER: [403, 'This account is banned. Ask your administrator.'],
  SESSION_NOT_FRESH: [403, 'Enter your password or use your passkey again first.'],
  TWO_FACTOR_REQUIRED: [403, 'Two-step verification is required here.'],
  IMPERSONATION_NOT_ALLOWED: [403, 'This is not possible while you impersonate a user.'],
  FORBIDDEN: [403, 'You are not allowed to do this.'],
  FIELD_NOT_ALLOWED: [400, "This field can't be set."],
  SESSION_NOT_FOUND: [404, 'There is no such session.'],
  INVALID_ORIGIN: [403, 'The request comes from a site that is not allowed.'],

  // OpenID Connect
  INTERACTION_NOT_FOUND: [
    404,
    'This took too long, was answered before, or was begun by another user. Go back to the app and start again.',
  ],
  DEVICE_CODE_NOT_FOUND: [404, 'There is no such code, or it has expired or was used. Ask the device for a new one.'],

  // Links and invitations
  INVALID_TOKEN: [400, 'This link has been used, has expired or is incomplete. Ask for a new one.'],
  INVITATION_REQUIRED: [400, 'Signing up needs an invitation: open the link in the email again.'],
  INVITATION_NOT_FOUND: [404, 'There is no such invitation.'],
  INVITATION_EXPIRED: [400, 'This invitation has expired. Ask for a new one.'],
  INVITATION_CANCELED: [400, 'This invitation was canceled.'],
  INVITATION_ALREADY_USED: [400, 'This invitation was already accepted or declined.'],
  INVITER_NO_LONGER_ALLOWED: [400, 'The user who invited you may no longer do so. Ask for a new invitation.'],
  EMAIL_ALREADY_IN_USE: [400, 'Another account has this email address.'],
  USER_ALREADY_EXISTS: [422, 'There is already an account with this email address. Sign in instead.'],
  SETUP_ALREADY_DONE: [400, 'There is already an administrator. Sign in instead.'],

  // Passkeys
  CHALLENGE_NOT_FOUND: [400, 'This was already tried, or took longer than 5 minutes. Start again.'],
  CHALLENGE_FROM_ELSEWHERE: [400, 'This was started in another browser or session. Start again here.'],
  PASSKEY_WRONG_ORIGIN: [400, 'The passkey was used on another site.'],
  PASSKEY_WRONG_RELYING_PARTY: [400, 'The passkey is for another site.'],
  USER_VERIFICATION_REQUIRED: [400, 'Use a passkey that checks your fingerprint, face or PIN.'],
  FAILED_TO_VERIFY_REGISTRATION: [400, 'The new passkey could not be verified. Start again.'],
  PREVIOUSLY_REGISTERED: [400, 'This passkey is already registered.'],
  AUTHENTICATION_FAILED: [401, 'The passkey could not be verified. Start again.'],
  UNKNOWN_PASSKEY: [401, 'This passkey is unknown; it may have been deleted. Sign in another way.'],
  PASSKEY_OF_ANOTHER_USER: [401, 'This passkey belongs to another account. Sign out first to use it.'],
  PASSKEY_COUNTER_WENT_BACK: [401, 'This passkey seems to have been copied. Sign in another way, and delete it.'],
  PASSKEY_LIMIT_REACHED: [403, 'You have the maximum number of passkeys. Delete one first.'],
  PASSKEY_NOT_FOUND: [404, 'There is no such passkey.'],
  LAST_WAY_TO_SIGN_IN: [400, 'This is your only way to sign in. Add another passkey or set a password first.'],

  // Two-step verification
  INVALID_TWO_FACTOR_COOKIE: [401, 'This sign-in took too long or has ended. Sign in with your password again.'],
  INVALID_CODE: [
    401,
    'The code is wrong or was used before. Wait for the next one, and check the clock of your device.',
  ],
  INVALID_BACKUP_CODE: [401, 'This recovery code is wrong or was used before.'],
  OTP_HAS_EXPIRED: [400, 'The code has expired. Ask for a new one.'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: [400, 'Too many wrong codes. Start again.'],
  ACCOUNT_TEMPORARILY_LOCKED: [429, 'Too many wrong codes. Codes are refused for some minutes.'],
  TOTP_NOT_ENABLED: [400, 'This account has no authenticator app.'],
  TOTP_ALREADY_ENABLED: [
    400,
    'This account has an authenticator app. Turn two-step verification off first to change it.',
  ],
  OTP_NOT_ENABLED: [400, 'This account does not use codes by email.'],
  BACKUP_CODES_NOT_ENABLED: [400, 'This account has no recovery codes.'],
  TWO_FACTOR_NOT_ENABLED: [400, 'Two-step verification is off.'],
  TWO_FACTOR_ALREADY_ENABLED: [400, 'Two-step verification is on.'],
  TWO_FACTOR_SETUP_REPLACED: [
    400,
    'This setup was replaced or ended, perhaps in another tab. Load the page again, and start again.',
  ],
  TRUSTED_DEVICE_NOT_FOUND: [404, 'There is no such trusted device.'],

  // Organizations
  ORGANIZATION_NOT_FOUND: [404, 'There is no such organization, or you are not a member.'],
  ORGANIZATION_HAS_OWNER: [400, 'This organization already has an owner. Ask the owner to invite more owners.'],
  NO_ACTIVE_ORGANIZATION: [400, 'Name an organization, or set an active one first.'],
  DELETION_CHANGED: [
    400,
    'The organizations that would be deleted have changed since you read them. Read them again, then repeat the deletion.',
  ],
  METADATA_CHANGED: [400, 'The metadata has changed since you read it. Read it again, then repeat your change.'],
  ORGANIZATION_SLUG_ALREADY_TAKEN: [400, 'Another organization has this slug. Choose another one.'],
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION: [403, 'Only staff may create organizations here.'],
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: [
    403,
    'You own the maximum number of organizations. Delete one, or transfer its ownership, first.',
  ],
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: [
    403,
    'The organization has the maximum number of members. Ask an owner or admin to remove one first.',
  ],
  INVITATION_LIMIT_REACHED: [403, 'The organization has the maximum number of open invitations. Cancel some first.'],
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: [403, 'Only an owner may grant this role.'],
  ROLE_NOT_FOUND: [400, 'There is no such role: it is owner, admin or member.'],
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: [
    400,
    'An organization needs an owner. Make another member an owner first, or delete the organization.',
  ],
  MEMBER_NOT_FOUND: [404, 'There is no such member in this organization.'],
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: [403, "Only an owner may grant or change an owner's role."],
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: [403, 'Only an owner may remove an owner.'],
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: [400, 'This user is already a member.'],
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: [
    400,
    'This email address is already invited. Send the invitation again, or cancel it first.',
  ],

  // API keys
  API_KEY_LIMIT_REACHED: [403, 'The organization has the maximum number of API keys. Delete some first.'],
  KEY_NOT_FOUND: [404, 'There is no such API key.'],
  KEY_ALREADY_ROTATED: [400, 'This API key was rotated before. Rotate the new one, or create another.'],
  KEY_DISABLED: [401, 'This API key is disabled. Ask an owner or admin of the organization to enable it.'],
  KEY_EXPIRED: [401, 'This API key has expired. Ask an owner or admin of the organization for a new one.'],
  INSUFFICIENT_API_KEY_PERMISSIONS: [403, 'Only an owner may create or change a key with the role admin.'],

  // Apps
  OAUTH_CLIENT_NOT_FOUND: [404, 'There is no such app.'],
  INVALID_REDIRECT_URI: [400, 'The redirect URI is not valid.'],
  INVALID_CLIENT_METADATA: [400, 'The properties of the app are not valid.'],
  OAUTH_CLIENT_HAS_NO_SECRET: [400, 'This app has no secret: it is public, or it signs with its own key.'],
  OAUTH_CLIENT_LIMIT_REACHED: [403, 'The organization has the maximum number of apps. Delete some first.'],
  CLIENT_REGISTRATION_DISABLED: [403, "Apps can't register themselves here. Ask an administrator."],
  OAUTH_CONSENT_LIMIT_REACHED: [
    403,
    'You allow the maximum number of apps that registered themselves. End the access of some under Security first.',
  ],
  OAUTH_CONSENT_NOT_FOUND: [404, 'There is no such consent.'],

  // Staff
  USER_NOT_FOUND: [404, 'There is no such user.'],
  LAST_ADMINISTRATOR: [400, 'The service needs an administrator. Make another user an administrator first.'],
  EMAIL_NOT_FOUND: [404, 'There is no such email to send again. The text of a failed email is deleted after 24 hours.'],
  YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE: [400, 'There is no such role: it is user, support or admin.'],
  YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE: [403, "You can't change your own role."],
  YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD: [403, 'Change your own password on your account page.'],
  YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL: [403, 'Change your own email address on your account page.'],
  USER_HAS_TWO_FACTOR: [
    400,
    'This user has two-step verification. An unverified email address would end it with the next password reset: send ' +
      'emailVerified: true, or reset two-step verification first.',
  ],
  USER_ALREADY_BANNED: [
    400,
    'This user is banned already, so nothing was changed. Load the page again to see that ban.',
  ],
  YOU_CANNOT_BAN_YOURSELF: [400, "You can't ban or unban yourself."],
  YOU_CANNOT_REMOVE_YOURSELF: [400, "You can't remove yourself here. Delete your account on your account page."],
  YOU_CANNOT_RESET_YOUR_OWN_TWO_FACTOR: [
    400,
    "You can't reset your own two-step verification here. Change it on your security page.",
  ],
  YOU_CANNOT_IMPERSONATE_ADMINS: [403, "You can't impersonate staff."],
  STAFF_IS_FOR_ADMINS: [403, 'Only administrators manage staff.'],
  NOT_IMPERSONATING: [400, 'This session does not impersonate a user.'],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: [400, 'There is already an account with this email address.'],
  NO_DATA_TO_UPDATE: [400, 'There is nothing to change.'],
  PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER: [400, 'Set a password with set-user-password.'],

  // The service
  TOO_MANY_REQUESTS: [429, 'Too many tries. Wait a little and try again.'],
  INTERNAL_SERVER_ERROR: [500, 'Something went wrong on our side.'],
  SERVICE_UNAVAILABLE: [503, 'The service is not available right now. Try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof ERRORS
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

interface ErrorDetails {
  message?: string
  field?: string
  /** The page where a user solves the problem. */
  url?: string
  retryAfterSeconds?: number
  /** The subject of the refusal, for the audit log. */
  about?: RefusedSubject
  /** For the log. */
  cause?: unknown
}

export interface RefusedSubject {
  subjectId?: string
  organizationId?: string
}

/** The error of use cases. Everything but `about` and `cause` is sent to the client. */
export class ApiError extends Error {
  override name = 'ApiError'
  code: ErrorCode
  field?: string
  url?: string
  retryAfterSeconds?: number
  about?: RefusedSubject

  constructor(
    code: ErrorCode,
    { message = ERRORS[code][1], field, url, retryAfterSeconds, about, cause }: ErrorDetails = {},
  ) {
    super(message, { cause })
    this.code = code
    if (field !== undefined) this.field = field
    if (url !== undefined) this.url = url
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds
    if (about !== undefined) this.about = about
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}

/** A route may put a refusal into a redirect. A limit is always a 429 response, and a failure always a 5xx response. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.code !== 'TOO_MANY_REQUESTS'
}
