import { ROLE_MEANINGS, type Role } from './roles.ts'

type RoleChoiceProps = {
  legend: string
  options: Partial<Record<Role, string>>
  meanings?: Partial<Record<Role, string>>
  onChange?: (role: Role) => void
}

/** A role, with what it may do. The form sends it as `role`. */
export function RoleChoice({ legend, options, meanings = ROLE_MEANINGS, onChange }: RoleChoiceProps) {
  return (
    <fieldset className="checkboxes">
      <legend>{legend}</legend>
      {(Object.keys(options) as Role[]).map((role, at) => (
        <label key={role} className="checkbox">
          <input type="radio" name="role" value={role} defaultChecked={at === 0} onChange={() => onChange?.(role)} />
          <span>
            {options[role]}
            <span className="soft">{meanings[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
