import { ApiError } from '../../platform/http/errors.ts'

/** The refusal of a sign-up with an email address, in this field of the request, that is not the invited one. */
export function forAnotherAddress(field: string): ApiError {
  return new ApiError('INVITATION_REQUIRED', {
    field,
    message: 'The invitation is for another address. Sign up with the address it was sent to.',
  })
}
