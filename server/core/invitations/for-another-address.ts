import { ApiError } from '../../platform/http/errors.ts'

export function forAnotherAddress(field: string): ApiError {
  return new ApiError('INVITATION_REQUIRED', {
    field,
    message: 'The invitation is for another address. Sign up with the address it was sent to.',
  })
}
