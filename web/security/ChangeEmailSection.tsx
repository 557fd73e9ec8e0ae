import { useState } from 'react'
import { authentication } from '../shared/api/authentication.ts'
import { Notice } from '../shared/components/Notice.tsx'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'

export function ChangeEmailSection({ email }: { email: string }) {
  const [requested, setRequested] = useState<string[]>([])
  const newest = requested.at(-1)
  return (
    <section className="card" aria-labelledby="address">
      <h2 id="address">Email address</h2>
      <p>
        You sign in with <strong>{email}</strong>.
      </p>
      {newest !== undefined && (
        <Notice kind="success">
          Look in the new mailbox: if {newest} can be used, an email with a link is on its way there. Your address
          changes when you use the link, within an hour.
        </Notice>
      )}
      <Form
        key={requested.length}
        send={async (value) => {
          const newEmail = value('newEmail').trim()
          await authentication.changeEmail({ newEmail })
          return newEmail
        }}
        onDone={(address) => setRequested([...requested, address])}
        submitLabel="Change address"
        pendingLabel="Sending an email…"
      >
        <EmailField name="newEmail" label="New email address" autoComplete="email" />
      </Form>
    </section>
  )
}
