import { Monogram } from '../shared/components/Monogram.tsx'

type AvatarProps = { name: string; image: string | null | undefined }

/** Pictures on other sites are not loaded, because a request would tell that site who views the page. */
export function Avatar({ name, image }: AvatarProps) {
  if (!image?.startsWith('data:image/')) return <Monogram name={name} />
  return <img className="avatar" src={image} alt="" width="52" height="52" />
}
