import { useState } from 'react'
import { useWarningBeforeLeaving } from '../routing/use-warning-before-leaving.ts'

type StoredConfirmationProps = { label: string; closeLabel: string; onClose: () => void }

/** Closes content that is not shown again, after the user has confirmed that it is stored. */
export function StoredConfirmation({ label, closeLabel, onClose }: StoredConfirmationProps) {
  const [isStored, setStored] = useState(false)
  useWarningBeforeLeaving(!isStored)
  return (
    <>
      <label className="checkbox">
        <input type="checkbox" checked={isStored} onChange={({ target }) => setStored(target.checked)} />
        <span>{label}</span>
      </label>
      <button type="button" className="button button-main" disabled={!isStored} onClick={onClose}>
        {closeLabel}
      </button>
    </>
  )
}
