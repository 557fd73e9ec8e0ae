import { useId } from 'react'

type OffButtonProps = { label: string; reason: string }

/** A control that is off, with the reason. It keeps its place, so that staff know that the action exists. */
export function OffButton({ label, reason }: OffButtonProps) {
  const id = useId()
  return (
    <div className="off-button">
      <button type="button" className="button button-quiet" aria-disabled="true" aria-describedby={id}>
        {label}
      </button>
      <p id={id} className="hint">
        {reason}
      </p>
    </div>
  )
}
