export type Confirmation = { isStored: boolean; onStored: (isStored: boolean) => void; onClose: () => void }

type StoredConfirmationProps = Confirmation & { label: string; closeLabel: string }

/** Closes content that is not shown again, after the user has confirmed that it is stored. */
export function StoredConfirmation({ label, closeLabel, isStored, onStored, onClose }: StoredConfirmationProps) {
  return (
    <>
      <label className="checkbox">
        <input type="checkbox" checked={isStored} onChange={({ target }) => onStored(target.checked)} />
        <span>{label}</span>
      </label>
      <button type="button" className="button button-main" disabled={!isStored} onClick={onClose}>
        {closeLabel}
      </button>
    </>
  )
}
