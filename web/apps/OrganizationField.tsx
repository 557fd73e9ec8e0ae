import { type RefObject, useEffect, useId } from 'react'
import { organizationRoleName } from '../shared/format/role-name.ts'
import type { OrganizationChoice } from '../shared/interaction/interaction.ts'

type OrganizationFieldProps = {
  ref: RefObject<HTMLSelectElement | null>
  organizations: OrganizationChoice[]
  value: string
  /** The user approved without a choice. */
  isMissing: boolean
  onChange: (id: string) => void
}

export function OrganizationField({ ref, organizations, value, isMissing, onChange }: OrganizationFieldProps) {
  const id = useId()

  // After a refusal, the field may be new.
  useEffect(() => {
    if (isMissing) ref.current?.focus()
  }, [isMissing, ref])

  return (
    <div className="field">
      <label htmlFor={id}>Organization</label>
      <select
        ref={ref}
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
