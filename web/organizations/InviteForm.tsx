import { useState } from 'react'
import type { Static } from 'typebox'
import type { InviteMembersAnswer } from '../../server/features/organizations/invitations/schemas.ts'
import { queryClient } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { Notice } from '../shared/components/Notice.tsx'
import { ORGANIZATION_ROLES } from '../shared/format/role-name.ts'
import { ChipsField } from '../shared/forms/ChipsField.tsx'
import { checkEmail } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { SelectField } from '../shared/forms/SelectField.tsx'

type Answer = Static<typeof InviteMembersAnswer>

export function InviteForm({ slug }: { slug: string }) {
  const [sends, setSends] = useState(0)
  const [refused, setRefused] = useState<Answer['results']>([])

  async function showResults({ results }: Answer) {
    setRefused(results.filter(({ status }) => status === 'refused'))
    setSends(sends + 1)
    await queryClient.invalidateQueries()
  }

  return (
    <section className="card" aria-labelledby="invite">
      <h2 id="invite">Invite</h2>
      {refused.length > 0 && (
        <Notice kind="problem">
          <p>These addresses got no invitation:</p>
          <ul>
            {refused.map(({ email, message }) => (
              <li key={email}>
                {email}: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Form
        send={(value) => {
          setRefused([])
          const emails = value('emails').split(' ')
          return request<Answer>('/api/auth/organization/invite-members', {
            emails,
            role: value('role'),
            organizationSlug: slug,
          })
        }}
        onDone={showResults}
        doneNotice={({ results }) =>
          `Invitations sent: ${results.filter(({ status }) => status === 'invited').length}.`
        }
        submitLabel="Send invitations"
        pendingLabel="Sending…"
      >
        <ChipsField
          key={sends}
          name="emails"
          label="Email addresses"
          hint="Type or paste up to 500, separated by commas, spaces or lines."
          checkValue={checkEmail}
        />
        <SelectField name="role" label="Role" options={ORGANIZATION_ROLES} defaultValue="member" />
      </Form>
    </section>
  )
}
