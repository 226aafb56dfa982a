"""Alpha-beta that prunes by judgement and proves what it can."""
