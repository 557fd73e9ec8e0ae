import type { ErrorCode } from '../../../server/platform/http/errors.ts'
import type { RequestFailed } from '../api/request-failed.ts'
import { findValue } from '../format/find-value.ts'

const NEW_PASSWORD = ['newPassword', 'password']

const FIELDS_BY_CODE: Partial<Record<ErrorCode, string[]>> = {
  PASSWORD_TOO_SHORT: NEW_PASSWORD,
  PASSWORD_TOO_LONG: NEW_PASSWORD,
  PASSWORD_TOO_COMMON: NEW_PASSWORD,
  PASSWORD_TOO_PERSONAL: NEW_PASSWORD,
  INVALID_PASSWORD: ['currentPassword'],
  DEVICE_CODE_NOT_FOUND: ['userCode'],
  INVALID_EMAIL: ['email', 'newEmail'],
}

/** The name of the field that caused a failure, if the form has it and the user can edit it. */
export function findInvalidField(failure: RequestFailed, form: HTMLFormElement): string | undefined {
  // An item of a list is in the field of the list, and `data` contains the fields of an organization.
  const field = (failure.field ?? '').replace(/\.\d+$/, '').replace(/^data\./, '')
  const candidates = [field, ...(findValue(FIELDS_BY_CODE, failure.code) ?? [])]
  return candidates.find((name) => {
    const input = form.elements.namedItem(name)
    return (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) && !input.readOnly
  })
}
