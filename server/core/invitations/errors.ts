const UNUSABLE = [
  'INVITATION_CANCELED',
  'INVITATION_ALREADY_USED',
  'INVITATION_EXPIRED',
  'INVITER_NO_LONGER_ALLOWED',
] as const
/** Error codes of `getUsableInvitation`. */
export const INVITATION_ERRORS = ['INVITATION_NOT_FOUND', ...UNUSABLE] as const
/** Error codes of `getInvitationForSignUp`. */
export const SIGN_UP_INVITATION_ERRORS = ['INVITATION_REQUIRED', ...UNUSABLE] as const
