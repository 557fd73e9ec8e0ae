import { day } from '../shared/format/moment.ts'
import type { PasskeyOfReset } from './endpoints.ts'

/** The name of the checkbox of a passkey. A ticked passkey is not removed. */
export function fieldOf({ id }: PasskeyOfReset): string {
  return `keep ${id}`
}

/** An intruder may have added a passkey. A new password alone does not remove it. */
export function PasskeyChoices({ passkeys }: { passkeys: PasskeyOfReset[] }) {
  if (passkeys.length === 0) return null
  return (
    <fieldset className="checkboxes">
      <legend>Your passkeys</legend>
      <p className="hint">
        They sign in to your account without the password. Untick any that you don’t know, and we’ll remove it.
      </p>
      {passkeys.map((passkey) => (
        <label className="checkbox" key={passkey.id}>
          <input type="checkbox" name={fieldOf(passkey)} defaultChecked />
          <span>
            {passkey.name} {passkey.isNew && <span className="badge badge-good">New</span>}
            <span className="soft">Added {day(new Date(passkey.createdAt))}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
