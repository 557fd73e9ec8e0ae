import { Choice } from '../forms/Choice.tsx'
import { KINDS, type KindName } from './kinds.ts'

type KindChoiceProps = { value: KindName; onChange: (kind: KindName) => void }

export function KindChoice({ value, onChange }: KindChoiceProps) {
  return (
    <fieldset className="checkboxes">
      <legend>What is it?</legend>
      {Object.entries(KINDS).map(([kind, { label, meaning }]) => (
        <Choice
          key={kind}
          type="radio"
          name="kind"
          value={kind}
          label={label}
          isChosen={kind === value}
          onChange={() => onChange(kind as KindName)}
        >
          {meaning}
        </Choice>
      ))}
    </fieldset>
  )
}
