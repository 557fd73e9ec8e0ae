import { useState } from 'react'
import type { Static } from 'typebox'
import { INVITED_EMAILS_MAXIMUM } from '../../server/core/field-limits.ts'
import type { InviteMembersResponse } from '../../server/features/organizations/invitations/schemas.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { isolated } from '../shared/format/isolated.ts'
import { checkEmail } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { showNotice } from '../shared/routing/page-state.ts'
import { useIsOnPage } from '../shared/routing/use-is-on-page.ts'
import { ChipsField, NO_CHIPS, splitValues, withoutValues } from './ChipsField.tsx'
import { InvitationPreview } from './InvitationPreview.tsx'
import { InviteOutcome, type Result } from './InviteOutcome.tsx'
import type { Overview } from './queries.ts'
import { RoleChoice } from './RoleChoice.tsx'
import { grantableRoles, type Role } from './roles.ts'

/** Instead of the advice to load the page again, which would lose the typed addresses. */
const SENTENCES = { NO_RESPONSE: 'No response came. Send again: no address is invited twice.' }

/**
 * Refused addresses stay in the field, so that the user can correct them and send the form again. Addresses that the
 * user enters while the form is sent also stay.
 */
export function InviteForm({ overview }: { overview: Overview }) {
  const { id: organizationId, name } = overview.organization
  const [role, setRole] = useState<Role>('member')
  const [results, setResults] = useState<Result[]>([])
  const [chips, setChips] = useState(NO_CHIPS)
  const isOnPage = useIsOnPage()

  async function invite(value: (name: string) => string) {
    setResults([])
    const emails = splitValues(value('emails'))
    const body = { emails, role, organizationId }
    const answer = await request<Static<typeof InviteMembersResponse>>('/api/auth/organization/invite-members', body)
    const refused = answer.results.filter(({ status }) => status === 'refused').map(({ email }) => email)
    setResults(answer.results)
    if (refused.length > 0 && !isOnPage()) showNotice(`Not invited to ${isolated(name)}: ${refused.join(', ')}.`)
    setChips((current) => {
      const { values, typed } = withoutValues(current, emails)
      return { values: [...new Set([...refused, ...values])], typed }
    })
  }

  return (
    <>
      <InviteOutcome results={results} />
      <Form
        send={invite}
        onDone={refreshPages}
        submitLabel="Send invitations"
        pendingLabel="Inviting…"
        sentences={SENTENCES}
      >
        <ChipsField
          name="emails"
          label="Email addresses"
          hint={`Paste up to ${INVITED_EMAILS_MAXIMUM}, separated by commas, spaces or lines.`}
          chips={chips}
          onChange={setChips}
          maximum={INVITED_EMAILS_MAXIMUM}
          checkValue={checkEmail}
        />
        <RoleChoice legend="They join as" options={grantableRoles(overview.role)} value={role} onChange={setRole} />
      </Form>
      {overview.role !== 'member' && <InvitationPreview organizationId={organizationId} role={role} />}
    </>
  )
}
