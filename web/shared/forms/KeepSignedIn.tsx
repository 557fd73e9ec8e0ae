type KeepSignedInProps = { isKept: boolean; onChange: (isKept: boolean) => void }

/** For a password and for a passkey, whose button is outside the form. */
export function KeepSignedIn({ isKept, onChange }: KeepSignedInProps) {
  return (
    <label className="checkbox">
      <input type="checkbox" checked={isKept} onChange={({ target }) => onChange(target.checked)} />
      <span>Keep me signed in on this device</span>
    </label>
  )
}
