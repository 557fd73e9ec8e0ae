import { BAN_REASON_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import { Select } from '../../shared/components/Select.tsx'
import { ReasonField } from './ReasonField.tsx'
import { postStaffEndpoint } from './staff-endpoints.ts'

const DAY_SECONDS = 86_400

const LENGTHS = {
  [DAY_SECONDS / 24]: 'For an hour',
  [DAY_SECONDS]: 'For a day',
  [7 * DAY_SECONDS]: 'For a week',
  [30 * DAY_SECONDS]: 'For 30 days',
  '': 'Until staff lift it',
}

export function BanFields() {
  return (
    <>
      <Select name="length" label="How long" options={LENGTHS} defaultValue={String(7 * DAY_SECONDS)} />
      <ReasonField
        hint="Other staff see it, and read it to the user."
        missing="Say why, so that other staff can answer the user."
        lengthMaximum={BAN_REASON_LENGTH_MAXIMUM}
      />
    </>
  )
}

/** @throws RequestFailed USER_ALREADY_BANNED if the user is banned already, among others */
export function banUser(userId: string, value: (name: string) => string): Promise<unknown> {
  const length = value('length')
  return postStaffEndpoint('ban-user', {
    userId,
    banReason: value('reason').trim(),
    ...(length !== '' && { banExpiresIn: Number(length) }),
    expectedBanned: false,
  })
}
