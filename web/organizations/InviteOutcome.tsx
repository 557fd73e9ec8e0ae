import type { Static } from 'typebox'
import type { InviteMembersResponse } from '../../server/features/organizations/invitations/schemas.ts'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { failureSentence } from '../shared/format/failure-sentence.ts'

export type Result = Static<typeof InviteMembersResponse>['results'][number]

export function InviteOutcome({ results }: { results: Result[] }) {
  const refused = results.filter(({ status }) => status === 'refused')
  const invitedCount = results.length - refused.length
  return (
    <>
      <DoneNotice>
        {invitedCount > 0 && `Invitations sent: ${invitedCount}. The list below shows what becomes of each email.`}
      </DoneNotice>
      {refused.length > 0 && (
        <Notice kind="problem" isOutcome>
          <p>
            {refused.length === 1
              ? 'One address is not invited. It is still in the field: correct or remove it.'
              : `${refused.length} addresses are not invited. They are still in the field: correct or remove them.`}
          </p>
          <ul className="reasons">
            {refused.map((result) => (
              <li key={result.email}>
                <strong>{result.email}</strong>: {reasonOf(result)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}

function reasonOf({ code = '', message = '' }: Result): string {
  return failureSentence(new RequestFailed({ status: 400, code, message }))
}
