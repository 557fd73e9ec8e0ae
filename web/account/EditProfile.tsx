import { authentication } from '../shared/api/authentication.ts'
import { type Caller, queryClient, sessionQuery } from '../shared/api/queries.ts'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { PictureField } from './PictureField.tsx'

export function EditProfile({ user }: Pick<Caller, 'user'>) {
  return (
    <section className="card" aria-labelledby="profile">
      <h2 id="profile">What others see</h2>
      <Form
        send={async (value) => {
          await authentication.updateUser({ name: value('name').trim(), image: value('image') || null })
          await queryClient.invalidateQueries(sessionQuery)
        }}
        doneNotice={() => 'Saved.'}
        submitLabel="Save"
        pendingLabel="Saving…"
      >
        <NameField defaultValue={user.name} />
        <PictureField name="image" owner={user.name} defaultValue={user.image} />
      </Form>
    </section>
  )
}
