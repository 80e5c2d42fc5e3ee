export const templatePaths: {
  readonly templates: string;
  template(name: string): string;
  renderTemplate(name: string): string;
} = {
  templates: "/api/v1/templates",
  template: (name) => `/api/v1/templates/${encodeURIComponent(name)}`,
  renderTemplate: (name) => `/api/v1/templates/${encodeURIComponent(name)}/render`,
};
