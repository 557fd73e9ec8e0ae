import { useState } from 'react'
import type { Static } from 'typebox'
import { INVITED_EMAILS_MAXIMUM } from '../../server/core/field-limits.ts'
import type { InviteMembersAnswer } from '../../server/features/organizations/invitations/schemas.ts'
import { queryClient } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { ChipsField, splitValues } from '../shared/forms/ChipsField.tsx'
import { checkEmail } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { InvitationPreview } from './InvitationPreview.tsx'
import { InviteOutcome, type Result } from './InviteOutcome.tsx'
import type { Overview } from './queries.ts'
import { RoleChoice } from './RoleChoice.tsx'
import { grantableRoles, type Role } from './roles.ts'

/**
 * Invites many addresses. Refused addresses stay in the field, so that the user can correct them and send the form
 * again.
 */
export function InviteForm({ overview }: { overview: Overview }) {
  const { id: organizationId } = overview.organization
  const [role, setRole] = useState<Role>('member')
  const [results, setResults] = useState<Result[] | null>(null)
  const [field, setField] = useState<{ version: number; refused: string[] }>({ version: 0, refused: [] })

  function invite(value: (name: string) => string) {
    setResults(null)
    const emails = [...new Set(splitValues(value('emails')))]
    return request<Static<typeof InviteMembersAnswer>>('/api/auth/organization/invite-members', {
      emails,
      role,
      organizationId,
    })
  }

  async function show({ results: shown }: Static<typeof InviteMembersAnswer>) {
    const refused = shown.filter(({ status }) => status === 'refused').map(({ email }) => email)
    setResults(shown)
    setField(({ version }) => ({ version: version + 1, refused }))
    await queryClient.invalidateQueries()
  }

  return (
    <>
      {results && <InviteOutcome results={results} />}
      <Form send={invite} onDone={show} submitLabel="Send invitations" pendingLabel="Inviting…">
        <ChipsField
          key={field.version}
          name="emails"
          label="Email addresses"
          hint={`Paste up to ${INVITED_EMAILS_MAXIMUM}, separated by commas, spaces or lines.`}
          defaultValues={field.refused}
          maximum={INVITED_EMAILS_MAXIMUM}
          checkValue={checkEmail}
        />
        <RoleChoice legend="They join as" options={grantableRoles(overview.role)} onChange={setRole} />
      </Form>
      {overview.role !== 'member' && <InvitationPreview organizationId={organizationId} role={role} />}
    </>
  )
}
