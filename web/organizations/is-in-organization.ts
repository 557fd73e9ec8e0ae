/** Whether the browser shows a page of the organization. During a request, the user may have gone elsewhere and type there. */
export function isInOrganization(slug: string): boolean {
  return `${location.pathname}/`.startsWith(`/organizations/${slug}/`)
}
