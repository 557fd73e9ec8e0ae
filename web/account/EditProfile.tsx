import { authentication } from '../shared/api/authentication.ts'
import { type Caller, queryClient, sessionQuery } from '../shared/api/queries.ts'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { PictureField } from './PictureField.tsx'

export function EditProfile({ user }: Pick<Caller, 'user'>) {
  const picture = user.image ?? ''

  /** An unchanged picture is left out: another tab may have set a new one. */
  async function save(value: (name: string) => string) {
    const chosen = value('image')
    await authentication.updateUser({
      name: value('name').trim(),
      ...(chosen !== picture && { image: chosen || null }),
    })
    await queryClient.invalidateQueries(sessionQuery)
  }

  return (
    <section className="card" aria-labelledby="profile">
      <h2 id="profile">What others see</h2>
      <Form send={save} doneNotice={() => 'Saved.'} submitLabel="Save" pendingLabel="Saving…">
        <NameField defaultValue={user.name} />
        <PictureField key={picture} name="image" owner={user.name} defaultValue={picture} />
      </Form>
    </section>
  )
}
