import { KINDS, type KindName } from './kinds.ts'

type KindChoiceProps = { value: KindName; onChange: (kind: KindName) => void }

export function KindChoice({ value, onChange }: KindChoiceProps) {
  return (
    <fieldset className="checkboxes">
      <legend>What is it?</legend>
      {Object.entries(KINDS).map(([kind, { label, meaning }]) => (
        <label key={kind} className="checkbox">
          <input
            type="radio"
            name="kind"
            value={kind}
            checked={kind === value}
            onChange={() => onChange(kind as KindName)}
          />
          <span>
            {label}
            <span className="soft">{meaning}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
