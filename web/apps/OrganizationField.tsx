import { useEffect, useId, useRef } from 'react'
import { organizationRoleName } from '../shared/format/role-name.ts'
import type { OrganizationChoice } from '../shared/interaction/interaction.ts'

type OrganizationFieldProps = {
  organizations: OrganizationChoice[]
  value: string
  /** The user approved without a choice. */
  isMissing: boolean
  onChange: (id: string) => void
}

export function OrganizationField({ organizations, value, isMissing, onChange }: OrganizationFieldProps) {
  const id = useId()
  const field = useRef<HTMLSelectElement>(null)

  useEffect(() => {
    if (isMissing) field.current?.focus()
  }, [isMissing])

  return (
    <div className="field">
      <label htmlFor={id}>Organization</label>
      <select
        ref={field}
        id={id}
        className="input"
        value={value}
        aria-invalid={isMissing}
        aria-describedby={`${id}-remark`}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">Choose…</option>
        {organizations.map((organization) => (
          <option key={organization.id} value={organization.id}>
            {organization.name} ({organizationRoleName(organization.role)}, {organization.slug})
          </option>
        ))}
      </select>
      <p id={`${id}-remark`} className={isMissing ? 'field-error' : 'hint'} aria-live="polite">
        {isMissing ? 'Choose the organization that the device works for.' : 'The device works for it, with your role.'}
      </p>
    </div>
  )
}
