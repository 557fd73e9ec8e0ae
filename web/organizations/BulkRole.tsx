import { useState } from 'react'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { grantableRoles, type Role } from './roles.ts'

type BulkRoleProps = { granterRole: Role; isRunning: boolean; onChoose: (role: Role) => void }

/** A role for the selected members. Only the button applies the role, because the change concerns many members. */
export function BulkRole({ granterRole, isRunning, onChoose }: BulkRoleProps) {
  const [role, setRole] = useState<Role>('member')
  return (
    <>
      <select
        className="input"
        aria-label="New role of the selected members"
        value={role}
        onChange={({ target }) => setRole(target.value as Role)}
      >
        {Object.entries(grantableRoles(granterRole)).map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
      <ActionButton kind="quiet" isPending={isRunning} pendingLabel="Changing…" onPress={() => onChoose(role)}>
        Change role
      </ActionButton>
    </>
  )
}
