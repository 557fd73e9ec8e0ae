type RevokesKeysFieldProps = { revokesKeys: boolean; onChange: (revokesKeys: boolean) => void }

export function RevokesKeysField({ revokesKeys, onChange }: RevokesKeysFieldProps) {
  return (
    <label className="checkbox">
      <input type="checkbox" checked={revokesKeys} onChange={({ target }) => onChange(target.checked)} />
      <span>
        Also delete API keys made by a removed member
        <span className="soft">Programs that use them stop.</span>
      </span>
    </label>
  )
}
