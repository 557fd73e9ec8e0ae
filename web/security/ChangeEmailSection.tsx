import { authentication } from '../shared/api/authentication.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'

export function ChangeEmailSection({ email }: { email: string }) {
  return (
    <section className="card" aria-labelledby="address">
      <h2 id="address">Email address</h2>
      <p>
        You sign in with <strong>{email}</strong>.
      </p>
      <Form
        send={async (value) => {
          const newEmail = value('newEmail').trim()
          await authentication.changeEmail({ newEmail })
          return newEmail
        }}
        doneNotice={(newEmail) =>
          `Look in the new mailbox: if ${newEmail} can be used, an email with a link is on its way there. Your address changes when you use the link, within an hour.`
        }
        isCleared
        submitLabel="Change address"
        pendingLabel="Sending an email…"
      >
        <EmailField name="newEmail" label="New email address" autoComplete="email" />
      </Form>
    </section>
  )
}
