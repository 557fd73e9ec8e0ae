import { Choice } from '../shared/forms/Choice.tsx'
import { ROLE_MEANINGS, type Role } from './roles.ts'

type RoleChoiceProps = {
  legend: string
  options: Partial<Record<Role, string>>
  meanings?: Partial<Record<Role, string>>
  value?: Role
  onChange?: (role: Role) => void
}

/** A role, with what it may do. The form sends it as `role`. */
export function RoleChoice({ legend, options, meanings = ROLE_MEANINGS, value = 'member', onChange }: RoleChoiceProps) {
  return (
    <fieldset className="checkboxes">
      <legend>{legend}</legend>
      {(Object.entries(options) as [Role, string][]).map(([role, label]) => (
        <Choice
          key={role}
          type="radio"
          name="role"
          value={role}
          label={label}
          isChosen={role === value}
          onChange={onChange && (() => onChange(role))}
        >
          {meanings[role]}
        </Choice>
      ))}
    </fieldset>
  )
}
