import type { RefObject } from 'react'

type KeepSignedInProps = {
  isKept: RefObject<boolean>
  onChange?: (isKept: boolean) => void
}

/**
 * For a password and for a passkey, whose button is outside the form. The answer is in a ref, because the user may change
 * it while the browser asks for a passkey.
 */
export function KeepSignedIn({ isKept, onChange }: KeepSignedInProps) {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        defaultChecked={isKept.current}
        onChange={({ target }) => {
          isKept.current = target.checked
          onChange?.(target.checked)
        }}
      />
      <span>Keep me signed in on this device</span>
    </label>
  )
}
