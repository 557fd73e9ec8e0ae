export function RevokesKeysField() {
  return (
    <label className="checkbox">
      <input type="checkbox" name="revokesKeys" />
      <span>
        Also delete API keys made by a removed member
        <span className="soft">Programs that use them stop.</span>
      </span>
    </label>
  )
}
