import type { RequestFailed } from '../api/request-failed.ts'

const NEW_PASSWORD = ['newPassword', 'password']

const FIELDS_BY_CODE: Record<string, string[]> = {
  PASSWORD_TOO_SHORT: NEW_PASSWORD,
  PASSWORD_TOO_LONG: NEW_PASSWORD,
  PASSWORD_TOO_COMMON: NEW_PASSWORD,
  PASSWORD_TOO_PERSONAL: NEW_PASSWORD,
  INVALID_PASSWORD: ['currentPassword'],
  INVALID_EMAIL: ['email', 'newEmail'],
}

/** The name of the field in the form that a failure is about, if it is about one that can be changed. */
export function findInvalidField(failure: RequestFailed, form: HTMLFormElement): string | undefined {
  const candidates = [failure.field ?? '', ...(FIELDS_BY_CODE[failure.code] ?? [])]
  return candidates.find((name) => {
    const input = form.elements.namedItem(name)
    return input instanceof HTMLInputElement && !input.readOnly
  })
}
