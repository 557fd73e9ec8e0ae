import { useLocation } from 'wouter'
import { request } from '../shared/api/request.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import type { Sentences } from '../shared/format/failure-sentence.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { UsernameOfPassword } from '../shared/forms/UsernameOfPassword.tsx'
import type { PageState } from '../shared/routing/page-state.ts'

const SENTENCES: Sentences = {
  DELETION_CHANGED:
    'The organizations that are deleted with your account have changed. Read above what is deleted now, then try again.',
}

type DeleteByPasswordProps = { email: string; organizationsDeleted: { id: string }[] }

export function DeleteByPassword({ email, organizationsDeleted }: DeleteByPasswordProps) {
  const [, navigate] = useLocation()

  function deleteAccount(password: string) {
    const expectedOrganizationsDeleted = organizationsDeleted.map(({ id }) => id)
    return request('/api/auth/delete-user', { password, expectedOrganizationsDeleted })
  }

  function leave() {
    forgetSession()
    const notice = 'Your account is deleted. Thank you for having been here.'
    navigate<PageState>('/sign-in', { replace: true, state: { notice } })
  }

  return (
    <Form
      send={(value) => deleteAccount(value('currentPassword'))}
      onDone={leave}
      kind="danger"
      submitLabel="Delete my account"
      pendingLabel="Deleting…"
      sentences={SENTENCES}
    >
      <UsernameOfPassword email={email} />
      <CurrentPasswordField name="currentPassword" label="Your password, to verify that it is you" />
    </Form>
  )
}
