import { authentication } from '../shared/api/authentication.ts'
import { type Caller, queryClient, sessionQuery } from '../shared/api/queries.ts'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { OutdatedNotice } from '../shared/forms/OutdatedNotice.tsx'
import { useStoredTexts } from '../shared/forms/use-stored-texts.ts'
import { PictureField } from './PictureField.tsx'

const CHANGED = { name: 'Your name', image: 'Your picture' }

export function EditProfile({ user }: Pick<Caller, 'user'>) {
  const { field, outdated, save } = useStoredTexts({ name: user.name, image: user.image ?? '' })

  /** An unchanged field is left out: another tab may have changed it. */
  async function store({ name, image }: { name?: string; image?: string }) {
    await authentication.updateUser({
      ...(name !== undefined && { name: name.trim() }),
      ...(image !== undefined && { image: image || null }),
    })
    await queryClient.invalidateQueries(sessionQuery)
  }

  return (
    <section className="card" aria-labelledby="profile">
      <h2 id="profile">What others see</h2>
      <Form send={() => save(store)} doneNotice={() => 'Saved.'} submitLabel="Save" pendingLabel="Saving…">
        {outdated.map((name) => (
          <OutdatedNotice key={name} about={CHANGED[name]} />
        ))}
        <NameField {...field('name')} />
        <PictureField name="image" owner={user.name} {...field('image')} />
      </Form>
    </section>
  )
}
