/** The reasons of `assertUsable`. */
const UNUSABLE = [
  'INVITATION_CANCELED',
  'INVITATION_ALREADY_USED',
  'INVITATION_EXPIRED',
  'INVITER_NO_LONGER_ALLOWED',
] as const
/** Error codes of `findUsableInvitation`. */
export const INVITATION_ERRORS = ['INVITATION_NOT_FOUND', ...UNUSABLE] as const
/** Error codes of `findInvitationForSignUp`. */
export const SIGN_UP_INVITATION_ERRORS = ['INVITATION_REQUIRED', ...UNUSABLE] as const
