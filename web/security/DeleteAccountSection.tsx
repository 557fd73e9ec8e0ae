import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import type { Handover } from '../shared/routing/handover.ts'
import { hasPasswordQuery } from './queries.ts'

export function DeleteAccountSection({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false)
  const { data: hasPassword } = useQuery(hasPasswordQuery)
  return (
    <section className="card" aria-labelledby="deletion">
      <h2 id="deletion">Delete your account</h2>
      <p>Your account, its sessions and its memberships are deleted for good. We can’t restore them.</p>
      {isOpen ? (
        <>
          {hasPassword && <DeleteByPassword email={email} />}
          <DeleteByEmail email={email} />
        </>
      ) : (
        <button type="button" className="button button-quiet" onClick={() => setOpen(true)}>
          Delete my account…
        </button>
      )}
    </section>
  )
}

function DeleteByPassword({ email }: { email: string }) {
  const [, navigate] = useLocation()

  function leave() {
    forgetSession()
    const notice = 'Your account is deleted. Thank you for having been here.'
    navigate<Handover>('/sign-in', { replace: true, state: { notice } })
  }

  return (
    <Form
      send={(value) => authentication.deleteUser({ password: value('currentPassword') })}
      onDone={leave}
      kind="danger"
      submitLabel="Delete my account"
      pendingLabel="Deleting…"
    >
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <CurrentPasswordField name="currentPassword" label="Your password, to verify that it is you" />
    </Form>
  )
}

function DeleteByEmail({ email }: { email: string }) {
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => authentication.deleteUser() })
  if (isSuccess)
    return (
      <Notice kind="success">
        An email is on its way to {email}. Its link deletes your account. It works for an hour.
      </Notice>
    )
  return (
    <>
      <p className="soft">Without the password: we can email {email} a link that deletes your account.</p>
      {error && <FailureNotice error={error} />}
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        Send me the link
      </ActionButton>
    </>
  )
}
